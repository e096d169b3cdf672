using System;
using System.Globalization;

namespace BigPile.Http.Protocol;

/// <summary>The query of a read: <c>maxAge</c> and <c>look</c>. Other parameters are ignored.</summary>
/// <param name="MaxAgeSeconds">The maximum age of the entry, in seconds; <see langword="null"/>: any.</param>
/// <param name="IsPeek">Whether the read is a peek: it does not count as a use, and returns more metadata.</param>
internal readonly record struct ReadQuery(long? MaxAgeSeconds, bool IsPeek)
{
    private const string MaxAgeParameter = "maxAge=";
    private const string PeekParameter = "look=";
    private const string Yes = "true";
    private const int MaxDigits = 10;

    /// <summary>Parses a query.</summary>
    /// <returns>What is wrong, or <see langword="null"/>.</returns>
    internal static Problem? Read(ReadOnlySpan<char> query, out ReadQuery asked)
    {
        asked = default;
        foreach (Range part in query.Split('&'))
        {
            ReadOnlySpan<char> parameter = query[part];
            if (parameter.StartsWith(MaxAgeParameter, StringComparison.Ordinal))
            {
                if (!TryReadSeconds(parameter[MaxAgeParameter.Length..], out long seconds))
                    return ProblemCatalog.BadMaxAge;
                asked = asked with { MaxAgeSeconds = seconds };
            }
            else if (parameter.StartsWith(PeekParameter, StringComparison.Ordinal))
            {
                if (parameter[PeekParameter.Length..] is not Yes)
                    return ProblemCatalog.InvalidQuery("look", parameter[PeekParameter.Length..].ToString(), $"'{Yes}', or left out");
                asked = asked with { IsPeek = true };
            }
        }
        return null;
    }

    private static bool TryReadSeconds(ReadOnlySpan<char> number, out long seconds)
    {
        seconds = 0;
        return number.Length is not 0 and <= MaxDigits
            && long.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out seconds);
    }
}
