using System;
using System.Globalization;

namespace BigPile.AspNetCore.Configuration;

/// <summary>Sizes as people write them: <c>1048576</c>, <c>512m</c>, <c>64g</c>, <c>1GiB</c>. All units are powers of 1,024.</summary>
internal static class ByteSize
{
    /// <summary>What an invalid text must be, for messages.</summary>
    internal const string Form = "be a size such as 1048576, 512m or 64g";

    /// <summary>What an invalid text must be where a part of the memory may be given as well, for messages.</summary>
    internal const string LimitForm = "be a size such as 1048576, 512m or 64g, or a percentage of the memory above 0 % and up to 100 %";

    private const string Units = "kmgt";
    private const char Percent = '%';

    /// <summary>Reads a size.</summary>
    /// <returns><see langword="false"/> if the text is no size, or exceeds 64 bits.</returns>
    internal static bool TryParse(string text, out long bytes)
    {
        bytes = 0;
        ReadOnlySpan<char> rest = text.AsSpan().Trim();
        int digits = rest.IndexOfAnyExceptInRange('0', '9');
        ReadOnlySpan<char> unit = digits < 0 ? default : rest[digits..].Trim();
        if (!TryShift(unit, out int shift))
            return false;
        ReadOnlySpan<char> number = digits < 0 ? rest : rest[..digits];
        if (!long.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out long count) || count > long.MaxValue >> shift)
            return false;
        bytes = count << shift;
        return true;
    }

    /// <summary>Reads a percentage, such as <c>70%</c>, as a part of one.</summary>
    /// <returns><see langword="false"/> if the text is no percentage, or not above 0 and up to 100.</returns>
    internal static bool TryParseShare(string text, out double share)
    {
        ReadOnlySpan<char> rest = text.AsSpan().Trim();
        share = rest.EndsWith(Percent)
            && decimal.TryParse(rest[..^1].Trim(), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal percent)
            ? (double)(percent / 100)
            : 0;
        return share is > 0 and <= 1;
    }

    private static bool TryShift(ReadOnlySpan<char> unit, out int shift)
    {
        shift = 0;
        if (unit.IsEmpty || unit.Equals("b", StringComparison.OrdinalIgnoreCase))
            return true;
        shift = 10 * (1 + Units.IndexOf(char.ToLowerInvariant(unit[0]), StringComparison.Ordinal));
        ReadOnlySpan<char> suffix = unit[1..];
        return shift != 0
            && (suffix.IsEmpty || suffix.Equals("b", StringComparison.OrdinalIgnoreCase)
            || suffix.Equals("ib", StringComparison.OrdinalIgnoreCase));
    }
}
