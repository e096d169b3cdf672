using System;
using System.Buffers;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Bulk;

/// <summary>The parameter <c>prefix</c> of a key listing.</summary>
internal static class KeyPrefix
{
    private const string Name = "prefix=";
    private const string Form = "the beginning of keys: UTF-8 in percent-encoding, once";

    /// <summary>Parses the raw query: the framework's parser would replace invalid UTF-8, and join repeated parameters.</summary>
    /// <param name="query">The raw query.</param>
    /// <param name="prefix">Its bytes; empty without the parameter.</param>
    /// <returns>What is wrong, or <see langword="null"/>.</returns>
    internal static Problem? Read(QueryString query, out byte[] prefix)
    {
        prefix = [];
        string? stated = null;
        foreach (string parameter in (query.Value ?? "").TrimStart('?').Split('&'))
        {
            if (!parameter.StartsWith(Name, StringComparison.Ordinal))
                continue;
            if (stated != null)
                return ProblemCatalog.InvalidQuery("prefix", stated, Form);
            stated = parameter[Name.Length..];
        }
        if (stated == null)
            return null;
        stated = stated.Replace("+", "%20", StringComparison.Ordinal);
        var bytes = new byte[stated.Length];
        if (PercentCoding.Decode(stated, bytes, out int length) != OperationStatus.Done
            || !ClientText.IsValid(bytes.AsSpan(0, length)))
        {
            return ProblemCatalog.InvalidQuery("prefix", stated, Form);
        }
        prefix = bytes[..length];
        return null;
    }
}
