using System;
using System.Collections.Generic;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace BigPile.Http.Protocol;

/// <summary>The headers that state an entry's lifetime, priority and tags.</summary>
internal static class LifetimeHeaders
{
    internal const string Ttl = "BigPile-Ttl";
    internal const string Sliding = "BigPile-Sliding";
    internal const string Expires = "BigPile-Expires";
    internal const string Tags = "BigPile-Tags";
    internal const string Priority = "BigPile-Priority";

    /// <summary>The maximum length of a tag, in characters.</summary>
    internal const int MaxTagLength = 256;

    private const string MaxAge = "max-age=";

    /// <summary>Parses the headers of a request.</summary>
    /// <param name="request">The request.</param>
    /// <param name="time">The clock.</param>
    /// <param name="options">The options; <see langword="null"/> if the request states none.</param>
    /// <returns>What is wrong, or <see langword="null"/>.</returns>
    internal static Problem? Read(HttpRequest request, TimeProvider time, out EntryOptions? options)
    {
        options = null;
        IHeaderDictionary headers = request.Headers;
        if (ReadTime(headers, Ttl, out TimeSpan? maxAge) is { } ttlProblem)
            return ttlProblem;
        if (ReadTime(headers, Sliding, out TimeSpan? sliding) is { } slidingProblem)
            return slidingProblem;
        if (ReadExpires(headers, time, out DateTimeOffset? expiresAt) is { } expiresProblem)
            return expiresProblem;
        if (ReadTags(headers, out List<string>? tags) is { } tagProblem)
            return tagProblem;
        if (ReadPriority(headers, out EntryPriority? priority) is { } priorityProblem)
            return priorityProblem;
        if (maxAge == null && ReadCacheControl(headers.CacheControl, out maxAge) is { } cacheProblem)
            return cacheProblem;
        if (maxAge != null || expiresAt != null || sliding != null || tags != null || priority != null)
            options = new EntryOptions { MaxAge = maxAge, ExpiresAt = expiresAt, Sliding = sliding, Tags = tags, Priority = priority };
        return null;
    }

    private static Problem? ReadTime(IHeaderDictionary headers, string name, out TimeSpan? time)
    {
        time = null;
        if (!TryGetOne(headers, name, out string text))
            return null;
        if (!Duration.TryParse(text, out TimeSpan found))
            return ProblemCatalog.InvalidHeader(name, text, Duration.Form);
        time = found;
        return null;
    }

    private static Problem? ReadExpires(IHeaderDictionary headers, TimeProvider time, out DateTimeOffset? instant)
    {
        instant = null;
        if (!TryGetOne(headers, Expires, out string text))
            return null;
        if (!HeaderUtilities.TryParseDate(text, out DateTimeOffset found))
            return ProblemCatalog.InvalidHeader(Expires, text, "a date such as Sun, 06 Nov 2033 08:49:37 GMT");
        if (found <= time.GetUtcNow())
            return ProblemCatalog.InvalidHeader(Expires, text, "a date in the future");
        instant = found;
        return null;
    }

    // Only max-age concerns the entry; other directives are for caches.
    private static Problem? ReadCacheControl(StringValues lines, out TimeSpan? maxAge)
    {
        maxAge = null;
        foreach (string? line in lines)
        {
            foreach (Range part in line.AsSpan().Split(','))
            {
                ReadOnlySpan<char> directive = line.AsSpan()[part].Trim(" \t");
                if (!directive.StartsWith(MaxAge, StringComparison.OrdinalIgnoreCase))
                    continue;
                ReadOnlySpan<char> seconds = directive[MaxAge.Length..].Trim('"');
                if (seconds.ContainsAnyExceptInRange('0', '9') || !Duration.TryParse(seconds, out TimeSpan found))
                    return ProblemCatalog.InvalidHeader(
                        "Cache-Control", directive.ToString(), "max-age with a whole number of seconds above zero");
                maxAge = found;
            }
        }
        return null;
    }

    private static Problem? ReadTags(IHeaderDictionary headers, out List<string>? tags)
    {
        tags = null;
        foreach (string? line in headers[Tags])
        {
            foreach (Range part in line.AsSpan().Split(','))
            {
                string tag = line.AsSpan()[part].Trim(" \t").ToString();
                if (tag.Length == 0)
                    continue;
                tags ??= [];
                tags.Add(tag);
                if (tag.Length > MaxTagLength || tags.Count > EntryOptions.MaxTags)
                    return ProblemCatalog.InvalidHeader(
                        Tags, tag, $"at most {EntryOptions.MaxTags} tags of at most {MaxTagLength} characters, with commas between them");
            }
        }
        return null;
    }

    private static Problem? ReadPriority(IHeaderDictionary headers, out EntryPriority? priority)
    {
        priority = null;
        if (!TryGetOne(headers, Priority, out string text))
            return null;
        if (!Priorities.TryFind(text, out EntryPriority found))
            return ProblemCatalog.InvalidHeader(Priority, text, Priorities.Form);
        priority = found;
        return null;
    }

    // A repeated header is ambiguous; its lines together are not a valid value.
    private static bool TryGetOne(IHeaderDictionary headers, string name, out string text)
    {
        StringValues lines = headers[name];
        text = lines.ToString();
        return lines.Count != 0;
    }
}
