using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>The tags of an entry: distinct and not empty.</summary>
internal static class TagSet
{
    /// <summary>The wildcard: all entries, tagged or not.</summary>
    internal const string All = "*";

    private const int MaxLength = 1024;

    /// <summary>Checks and copies a caller's tags.</summary>
    /// <exception cref="ArgumentException">A tag is empty, reserved or too long, or there are too many.</exception>
    internal static string[] Of(IEnumerable<string>? tags)
    {
        if (tags is null or ICollection<string> { Count: 0 })
            return [];
        string[] all = [.. tags.Distinct(StringComparer.Ordinal)];
        foreach (string tag in all)
            Check(tag);
        if (all.Length > EntryOptions.MaxTags)
            throw new ArgumentException($"The entry has {all.Length:N0} tags; {EntryOptions.MaxTags} are allowed.", nameof(tags));
        return all;
    }

    /// <summary>Checks a tag that is to be removed.</summary>
    internal static void CheckRemoved(string tag)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        CheckLength(tag, nameof(tag));
    }

    private static void Check(string tag)
    {
        if (string.IsNullOrEmpty(tag))
            throw new ArgumentException("A tag is null or empty; give every tag a name.", "tags");
        if (tag == All)
            throw new ArgumentException("The tag '*' stands for all entries; no entry can have it.", "tags");
        CheckLength(tag, "tags");
    }

    private static void CheckLength(string tag, string parameter)
    {
        if (tag.Length > MaxLength)
            throw new ArgumentException($"A tag has {tag.Length:N0} characters; {MaxLength:N0} are allowed.", parameter);
    }
}
