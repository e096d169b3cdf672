using System;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace BigPile.Caching;

/// <summary>A position in the changes of a table: a number of the feed's epoch, a version, and how far a walk has come.</summary>
/// <remarks>It is valid across kills and stops of the process. Thread safety: immutable.</remarks>
public readonly record struct FeedCursor
{
    private const int PartChars = 16;

    internal FeedCursor(ulong epoch, ulong version, ulong place)
    {
        Epoch = epoch;
        Version = version;
        Place = place;
    }

    /// <summary>The beginning: a walk through the table, and then its changes. The default value.</summary>
    public static FeedCursor Start => default;

    /// <summary>Now: the changes from here on, without a walk.</summary>
    public static FeedCursor Now => new(0, ulong.MaxValue, 0);

    /// <summary>The version up to which the reader has all changes.</summary>
    public ulong Version { get; }

    /// <summary>Of the window; 0: none.</summary>
    internal ulong Epoch { get; }

    /// <summary>Where the walk continues; its end, and none is under way.</summary>
    internal ulong Place { get; }

    /// <summary>The cursor as text, for <see cref="TryParse"/>.</summary>
    public override string ToString() => $"{Epoch:x16}{Version:x16}{Place:x16}";

    /// <summary>Reads a cursor that <see cref="ToString"/> wrote.</summary>
    /// <returns><see langword="false"/> for any other text.</returns>
    public static bool TryParse([NotNullWhen(true)] string? text, out FeedCursor cursor)
    {
        cursor = default;
        if (text is not { Length: 3 * PartChars } || text.AsSpan().ContainsAnyExcept("0123456789abcdef")
            || !TryPart(text, 0, out ulong epoch) || !TryPart(text, 1, out ulong version) || !TryPart(text, 2, out ulong place))
            return false;
        cursor = new FeedCursor(epoch, version, place);
        return true;
    }

    private static bool TryPart(string text, int number, out ulong part) => ulong.TryParse(
        text.AsSpan(number * PartChars, PartChars), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out part);
}
