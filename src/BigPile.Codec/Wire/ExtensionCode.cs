namespace BigPile.Codec.Wire;

/// <summary>The MessagePack extension types of a payload. 30 to 119 belong to MessagePack-CSharp, negative ones to MessagePack.</summary>
internal static class ExtensionCode
{
    /// <summary>The content of a primitive array, little-endian. The code is this plus the number of the elements' field kind.</summary>
    public const sbyte FirstBlob = 0;

    /// <summary>A decimal: its 16 raw bytes.</summary>
    public const sbyte Decimal = 20;

    /// <summary>The dimensions of a multi-dimensional array: length and first index of each, 32 bits each.</summary>
    public const sbyte Dimensions = 21;

    /// <summary>A reference to an object that was written before: its number in the order of first visit, in 1, 2 or 4 bytes.</summary>
    public const sbyte BackReference = 120;

    /// <summary>The first element of an array: the type id of the object that the other elements form, in 1, 2 or 4 bytes.</summary>
    public const sbyte TypeId = 121;

    /// <summary>A pile pointer: its 8 raw bytes.</summary>
    public const sbyte Pointer = 122;

    /// <summary>A <c>DateTime</c> that is not UTC: its 8 raw bytes.</summary>
    public const sbyte DateTime = 123;

    /// <summary>Text that UTF-8 can't represent, because it has lone surrogates: UTF-16, little-endian.</summary>
    public const sbyte Utf16 = 124;

    /// <summary>A reference to an object after the root, as it is nested too deep: type id, and the lengths that create it.</summary>
    public const sbyte ForwardReference = 125;

    /// <summary>The first element of a collection whose comparer is not the default: the comparer's code.</summary>
    public const sbyte Comparer = 126;

    /// <summary>MessagePack's own timestamp.</summary>
    public const sbyte Timestamp = -1;
}
