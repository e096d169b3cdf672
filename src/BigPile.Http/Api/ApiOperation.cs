using System.Collections.Generic;
using BigPile.Http.Protocol;

namespace BigPile.Http.Api;

/// <summary>What a method of a path does, for the description of the service.</summary>
/// <param name="Method">The method, in lower case.</param>
/// <param name="Path">The path; its parameters in braces.</param>
/// <param name="Id">A name of its own.</param>
/// <param name="Group">The group that it is shown in.</param>
/// <param name="Summary">What it does.</param>
/// <param name="Status">The status when it is done.</param>
/// <param name="Answer">The media types of the answer; none: it has no body.</param>
internal sealed record ApiOperation(string Method, string Path, string Id, string Group, string Summary, int Status, params string[] Answer)
{
    /// <summary>The media types of the request's body; none: it has no body.</summary>
    internal IReadOnlyList<string> Body { get; init; } = [];

    /// <summary>The schema of the answer, by its name; none: it has no described one.</summary>
    internal string? AnswerSchema { get; init; }

    /// <summary>Other statuses that are no problems.</summary>
    internal IReadOnlyList<(int Status, string Meaning)> Others { get; init; } = [];

    /// <summary>Parameters of the query, with what they are.</summary>
    internal IReadOnlyList<(string Name, string Meaning)> Query { get; init; } = [];

    /// <summary>Headers of the request, with what they are.</summary>
    internal IReadOnlyList<(string Name, string Meaning)> Headers { get; init; } = [];

    /// <summary>The problems that it may answer with.</summary>
    internal IReadOnlyList<Problem> Problems { get; init; } = [];
}
