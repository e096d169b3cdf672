using System.Globalization;

namespace BigPile.Server.Loading;

/// <summary>Numbers with what they count, as the commands print them, and by this file the load console.</summary>
internal static class Counted
{
    /// <summary>The number, and the noun in the form that goes with it: by an <c>s</c>, unless the form for many is given.</summary>
    internal static string Of(long count, string one, string? many = null) =>
        string.Create(CultureInfo.InvariantCulture, $"{count:N0} {(count == 1 ? one : many ?? one + "s")}");
}
