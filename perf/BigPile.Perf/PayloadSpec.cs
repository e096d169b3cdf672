using System;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace BigPile.Perf;

/// <summary>The objects of a load, as the command line names them.</summary>
/// <param name="Shape">What they are.</param>
/// <param name="LengthBytes">The bytes of one payload; of a person about as many.</param>
internal sealed record PayloadSpec(PayloadShape Shape, int LengthBytes)
{
    internal const int MaxLengthBytes = PileBuffer.MaxLengthBytes;

    private const string BytesPrefix = "bytes:";
    private const int PersonBytes = 44;

    internal static readonly PayloadSpec String32 = new(PayloadShape.Text, 32);

    private static readonly PayloadSpec String64 = new(PayloadShape.Text, 64);
    private static readonly PayloadSpec Person = new(PayloadShape.Person, PersonBytes);

    /// <summary>Reads what the command line says.</summary>
    /// <param name="text">The text.</param>
    /// <param name="spec">The payload.</param>
    /// <param name="error">Otherwise: what is wrong, and what would be right.</param>
    internal static bool TryParse(string text, [NotNullWhen(true)] out PayloadSpec? spec, [NotNullWhen(false)] out string? error)
    {
        error = null;
        spec = text switch
        {
            "string32" => String32,
            "string64" => String64,
            "person" => Person,
            _ => null,
        };
        if (spec != null)
            return true;
        if (!text.StartsWith(BytesPrefix, StringComparison.Ordinal))
        {
            error = $"--payload '{text}' is unknown. Use string32, string64, bytes:N or person.";
            return false;
        }
        bool isNumber = int.TryParse(text.AsSpan(BytesPrefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out int lengthBytes);
        if (isNumber && lengthBytes is >= 1 and <= MaxLengthBytes)
        {
            spec = new PayloadSpec(PayloadShape.Bytes, lengthBytes);
            return true;
        }
        error = $"--payload '{text}' is out of range. The N of bytes:N must be a whole number from 1 to {MaxLengthBytes}.";
        return false;
    }

    public override string ToString() => Shape switch
    {
        PayloadShape.Text => string.Create(CultureInfo.InvariantCulture, $"string{LengthBytes}"),
        PayloadShape.Bytes => string.Create(CultureInfo.InvariantCulture, $"{BytesPrefix}{LengthBytes}"),
        _ => "person",
    };
}

/// <summary>What the objects of a load are.</summary>
internal enum PayloadShape
{
    Text,
    Bytes,
    Person,
}
