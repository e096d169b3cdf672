using System;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>How an Accept header rates one media type (RFC 9110, 12.5.1): the most specific item applies.</summary>
/// <param name="Weight">From 0, not acceptable, to 1,000.</param>
/// <param name="Place">The position of the item in the header.</param>
internal readonly record struct AcceptedType(int Weight, int Place)
{
    private const int Exact = 3;

    /// <summary>Evaluates a header.</summary>
    /// <param name="header">The header, several lines joined by commas.</param>
    /// <param name="mediaType">A media type without parameters.</param>
    internal static AcceptedType Of(ReadOnlySpan<char> header, ReadOnlySpan<char> mediaType)
    {
        AcceptedType found = default;
        int closest = 0;
        int place = 0;
        foreach (Range part in header.Split(','))
        {
            ReadOnlySpan<char> item = header[part];
            int closeness = ClosenessOf(item, mediaType);
            if (closeness > closest)
                (closest, found) = (closeness, new AcceptedType(WeightOf(item), place));
            place++;
        }
        return found;
    }

    private static int ClosenessOf(ReadOnlySpan<char> item, ReadOnlySpan<char> mediaType)
    {
        if (BatchForms.Is(item, mediaType))
            return Exact;
        if (BatchForms.Is(item, "*/*"))
            return 1;
        int end = item.IndexOf(';');
        ReadOnlySpan<char> range = (end < 0 ? item : item[..end]).Trim(" \t");
        return range.EndsWith("/*", StringComparison.Ordinal) && mediaType.StartsWith(range[..^1], StringComparison.OrdinalIgnoreCase)
            ? 2
            : 0;
    }

    private static int WeightOf(ReadOnlySpan<char> item)
    {
        int from = item.IndexOf(';');
        while (from >= 0)
        {
            item = item[(from + 1)..];
            from = item.IndexOf(';');
            ReadOnlySpan<char> parameter = (from < 0 ? item : item[..from]).Trim(" \t");
            if (parameter.StartsWith("q=", StringComparison.OrdinalIgnoreCase))
                return Quality.Read(parameter[2..]);
        }
        return Quality.Whole;
    }
}
