using System;

namespace BigPile.Http.Protocol;

/// <summary>A request can't go on, for a reason that its client is to know.</summary>
/// <param name="problem">The reason.</param>
internal sealed class RefusedException(Problem problem) : Exception($"{problem.Title} {problem.Detail}".TrimEnd())
{
    /// <summary>The reason.</summary>
    internal Problem Problem => problem;
}
