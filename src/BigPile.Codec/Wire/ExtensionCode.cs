namespace BigPile.Codec.Wire;

/// <summary>The MessagePack extension types of a payload. 30 to 119 belong to MessagePack-CSharp, negative ones to MessagePack.</summary>
internal static class ExtensionCode
{
    /// <summary>The content of a primitive array, little-endian; the code is this plus the number of the element's kind of slot.</summary>
    public const sbyte FirstBlob = 0;

    /// <summary>A decimal: its 16 raw bytes.</summary>
    public const sbyte Decimal = 20;

    /// <summary>The lengths and lower bounds of an array that has several dimensions, as pairs of 32 bits.</summary>
    public const sbyte Dimensions = 21;

    /// <summary>An object that came before: its number in the order of first visit, in 1, 2 or 4 bytes.</summary>
    public const sbyte BackReference = 120;

    /// <summary>The first element of an array: the type id of what the other elements make up, in 1, 2 or 4 bytes.</summary>
    public const sbyte TypeId = 121;

    /// <summary>A pile pointer: its 8 raw bytes.</summary>
    public const sbyte Pointer = 122;

    /// <summary>A date and time that is not UTC: its 8 raw bytes.</summary>
    public const sbyte DateTime = 123;

    /// <summary>Text that UTF-8 can't carry, because of lone surrogates: UTF-16, little-endian.</summary>
    public const sbyte Utf16 = 124;

    /// <summary>An object that comes after the root, because it lies too deep: type id and what its creation needs.</summary>
    public const sbyte ForwardReference = 125;

    /// <summary>The first element of a collection whose comparer is not the default one: the comparer's code.</summary>
    public const sbyte Comparer = 126;

    /// <summary>MessagePack's own timestamp.</summary>
    public const sbyte Timestamp = -1;
}
