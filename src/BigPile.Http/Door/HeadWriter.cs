using System;
using System.Globalization;

namespace BigPile.Http.Door;

/// <summary>Writes the head of an answer.</summary>
internal ref struct HeadWriter(Span<byte> room)
{
    private readonly Span<byte> _room = room;

    internal int LengthBytes { get; private set; }

    internal readonly ReadOnlySpan<byte> Written => _room[..LengthBytes];

    internal void Add(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_room[LengthBytes..]);
        LengthBytes += bytes.Length;
    }

    internal void Add(long number)
    {
        number.TryFormat(_room[LengthBytes..], out int written, default, CultureInfo.InvariantCulture);
        LengthBytes += written;
    }

    /// <summary>Adds a version as an entity tag.</summary>
    internal void AddTag(ulong version)
    {
        _room[LengthBytes++] = (byte)'"';
        version.TryFormat(_room[LengthBytes..], out int written, "x16", CultureInfo.InvariantCulture);
        LengthBytes += written;
        _room[LengthBytes++] = (byte)'"';
    }

    /// <summary>Adds a date of HTTP.</summary>
    internal void Add(DateTimeOffset date)
    {
        date.TryFormat(_room[LengthBytes..], out int written, "R", CultureInfo.InvariantCulture);
        LengthBytes += written;
    }
}
