using System;
using System.Globalization;

namespace BigPile.AspNetCore.Entries;

/// <summary>The query of a read: <c>maxAge</c>. Other parameters mean nothing.</summary>
/// <param name="MaxAgeSeconds">The most seconds since the entry was put; <see langword="null"/>: any.</param>
internal readonly record struct ReadQuery(long? MaxAgeSeconds)
{
    private const string MaxAge = "maxAge=";
    private const int MaxDigits = 10;

    /// <summary>Reads a query.</summary>
    /// <returns><see langword="false"/> when <c>maxAge</c> is no number of seconds.</returns>
    internal static bool TryParse(ReadOnlySpan<char> query, out ReadQuery asked)
    {
        asked = default;
        foreach (Range part in query.Split('&'))
        {
            ReadOnlySpan<char> parameter = query[part];
            if (!parameter.StartsWith(MaxAge, StringComparison.Ordinal))
                continue;
            ReadOnlySpan<char> number = parameter[MaxAge.Length..];
            if (number.Length is 0 or > MaxDigits || !long.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out long seconds))
                return false;
            asked = new ReadQuery(seconds);
        }
        return true;
    }
}
