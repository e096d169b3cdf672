using System;

namespace BigPile.Http.Protocol;

/// <summary>Quality values (RFC 9110, 12.4.2), in thousandths.</summary>
internal static class Quality
{
    /// <summary>The highest weight, and the default.</summary>
    internal const int Whole = 1000;

    /// <summary>Parses a number such as <c>0.5</c>; an invalid one counts as <see cref="Whole"/>.</summary>
    internal static int Read(ReadOnlySpan<char> number)
    {
        number = number.Trim(" \t");
        if (number.IsEmpty || number[0] != '0')
            return Whole;
        int weight = 0;
        int scale = 100;
        for (int i = 2; i < number.Length && scale > 0 && char.IsAsciiDigit(number[i]); i++, scale /= 10)
            weight += (number[i] - '0') * scale;
        return weight;
    }
}
