using System;

namespace BigPile.Http.Protocol;

/// <summary>A request can't continue; its client is told the reason.</summary>
/// <param name="problem">The reason.</param>
internal sealed class RefusedException(Problem problem) : Exception($"{problem.Title} {problem.Detail}".TrimEnd())
{
    internal Problem Problem => problem;
}
