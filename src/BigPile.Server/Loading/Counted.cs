using System.Globalization;

namespace BigPile.Server.Loading;

/// <summary>Formats a number with its noun. The load console compiles this file too.</summary>
internal static class Counted
{
    /// <summary>The number and the noun; the plural adds an <c>s</c> unless it is given.</summary>
    internal static string Of(long count, string one, string? many = null) =>
        string.Create(CultureInfo.InvariantCulture, $"{count:N0} {(count == 1 ? one : many ?? one + "s")}");
}
