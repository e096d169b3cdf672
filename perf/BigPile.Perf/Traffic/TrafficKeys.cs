using System;
using System.Globalization;
using System.Text;

namespace BigPile.Perf.Traffic;

/// <summary>The keys of a client; some have what must be percent-encoded in a path.</summary>
internal static class TrafficKeys
{
    internal const int MaxBytes = 64;

    /// <summary>Writes a key in UTF-8.</summary>
    /// <returns>Its length.</returns>
    internal static int Write(Span<byte> destination, int client, int key) =>
        Encoding.UTF8.GetBytes(TextOf(client, key, ' ', "é/🎹"), destination);

    /// <summary>Writes a key as it stands in a path.</summary>
    /// <returns>Its length.</returns>
    internal static int WritePath(Span<byte> destination, int client, int key) =>
        Encoding.UTF8.GetBytes(
            TextOf(client, key, '+', "%C3%A9%2F%F0%9F%8E%B9").Replace("+", "%20", StringComparison.Ordinal), destination);

    private static string TextOf(int client, int key, char space, string strange) => key % 64 == 0
        ? string.Create(CultureInfo.InvariantCulture, $"c{client}{space}{strange}{key}")
        : string.Create(CultureInfo.InvariantCulture, $"c{client}-{key}");
}
