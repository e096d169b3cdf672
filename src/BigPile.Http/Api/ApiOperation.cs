using System.Collections.Generic;
using BigPile.Http.Protocol;

namespace BigPile.Http.Api;

/// <summary>One method of a path, for the API description.</summary>
/// <param name="Method">The method, in lower case.</param>
/// <param name="Path">The path; its parameters in braces.</param>
/// <param name="Id">The unique operation id.</param>
/// <param name="Group">The group.</param>
/// <param name="Summary">What it does.</param>
/// <param name="Status">The status of success.</param>
/// <param name="Answer">The media types of the answer; empty: no body.</param>
internal sealed record ApiOperation(string Method, string Path, string Id, string Group, string Summary, int Status, params string[] Answer)
{
    /// <summary>The media types of the request's body; empty: no body.</summary>
    internal IReadOnlyList<string> Body { get; init; } = [];

    internal string? AnswerSchema { get; init; }

    /// <summary>Other statuses that are not problems.</summary>
    internal IReadOnlyList<(int Status, string Meaning)> Others { get; init; } = [];

    /// <summary>The parameters of the query, with descriptions.</summary>
    internal IReadOnlyList<(string Name, string Meaning)> Query { get; init; } = [];

    /// <summary>The headers of the request, with descriptions.</summary>
    internal IReadOnlyList<(string Name, string Meaning)> Headers { get; init; } = [];

    internal IReadOnlyList<Problem> Problems { get; init; } = [];
}
