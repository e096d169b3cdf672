using System;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Memory;

namespace BigPile.Hash.Maintenance;

/// <summary>Goes through the area of rooms from its beginning to its end: room by room, and the gaps between.</summary>
/// <remarks>
/// Behind a room the next one begins. Where none begins there is a gap: then each multiple of the alignment is looked at until there is a
/// room marked dead or a record that matches its checksum, so bytes of a value are not taken for one. The words of rooms that there are no
/// more in a gap are handed out: left there, one would be taken for a room once another one ends in front of it.
/// </remarks>
/// <param name="file">The file.</param>
/// <param name="end">Where its rooms end.</param>
/// <param name="onStaleWord">Gets the offsets of words in gaps.</param>
internal sealed class ExtentScanner(RecordFile file, long end, Action<long>? onStaleWord = null)
{
    private const int WindowBytes = 1 << 20;

    private readonly byte[] _window = GC.AllocateUninitializedArray<byte>((int)Math.Min(WindowBytes, Math.Max(end, 1)));
    private readonly FileLayout _layout = file.Layout;
    private long _windowOffset;
    private int _windowBytes;
    private RecordHead _head;

    /// <summary>Where the piece begins.</summary>
    internal long Offset { get; private set; } = file.Layout.AreaStart;

    internal long Bytes { get; private set; }

    /// <summary>Whether the piece is a room, and no gap.</summary>
    internal bool IsExtent { get; private set; }

    /// <summary>Of a room.</summary>
    internal RecordHead Head => _head;

    /// <summary>Of a room: whether it is of a record or a tombstone.</summary>
    internal bool IsRecord => IsExtent && _head.Word.Kind != ExtentKind.Dead;

    internal bool MoveNext()
    {
        Offset += Bytes;
        if (Offset >= end)
            return false;
        IsExtent = TryReadExtent(Offset, mustMatch: false);
        Bytes = IsExtent ? _head.Word.Units << _layout.AlignmentShift : GapAt(Offset);
        return true;
    }

    /// <summary>Whether the record matches its checksum.</summary>
    internal bool Matches() => Matches(Offset, _head);

    /// <summary>Of a record: whether its room has the key that it states.</summary>
    internal bool HasKey => RecordHead.Bytes + _head.KeyLength <= Bytes;

    /// <summary>The record's key. It must be known to be in the room.</summary>
    internal ReadOnlySpan<byte> Key() => Peek(Offset, RecordHead.Bytes + _head.KeyLength)[RecordHead.Bytes..];

    private bool TryReadExtent(long offset, bool mustMatch)
    {
        ReadOnlySpan<byte> bytes = Peek(offset, (int)Math.Min(RecordHead.Bytes, end - offset));
        if (bytes.Length < sizeof(ulong))
            return false;
        var word = new ExtentWord(BitConverter.ToUInt64(bytes));
        if (!word.IsOf(offset, _layout.Salt) || word.Units == 0 || word.Units << _layout.AlignmentShift > end - offset)
            return false;
        if (bytes.Length < RecordHead.Bytes)
            return word.Kind == ExtentKind.Dead && Take(default);
        var head = RecordHead.Read(bytes);
        if (word.Kind == ExtentKind.Dead)
            return Take(head);
        bool fits = head.NeededBytes <= word.Units << _layout.AlignmentShift;
        if (!fits && mustMatch)
            return false;
        return (!mustMatch || Matches(offset, head)) && Take(head);
    }

    private bool Take(RecordHead head)
    {
        _head = head;
        return true;
    }

    private long GapAt(long offset)
    {
        long at = offset;
        do
        {
            if (onStaleWord != null && HasWord(at))
                onStaleWord(at);
            at += ZerosAt(at);
        }
        while (at < end && !TryReadExtent(at, mustMatch: true));
        return Math.Min(at, end) - offset;
    }

    private bool HasWord(long offset)
    {
        ReadOnlySpan<byte> bytes = Peek(offset, (int)Math.Min(sizeof(ulong), end - offset));
        return bytes.Length == sizeof(ulong) && new ExtentWord(BitConverter.ToUInt64(bytes)).IsOf(offset, _layout.Salt);
    }

    // The step to the next multiple of the alignment that is worth a look.
    private long ZerosAt(long offset)
    {
        ReadOnlySpan<byte> bytes = Peek(offset, (int)Math.Min(_window.Length, end - offset), mayBeFewer: true);
        int zeros = bytes.IndexOfAnyExcept((byte)0);
        if (zeros < 0)
            zeros = bytes.Length;
        return Math.Max(zeros & -_layout.Alignment, _layout.Alignment);
    }

    private bool Matches(long offset, in RecordHead head)
    {
        if (head.NeededBytes > head.Word.Units << _layout.AlignmentShift || head.NeededBytes > end - offset)
            return false;
        uint checksum = head.BeginChecksum(offset, _layout.Salt);
        long rest = head.KeyLength + head.ValueLength;
        for (long at = offset + RecordHead.Bytes; rest > 0;)
        {
            int part = (int)Math.Min(rest, _window.Length);
            checksum = Crc32C.Add(checksum, Peek(at, part));
            at += part;
            rest -= part;
        }
        return head.Matches(checksum);
    }

    private ReadOnlySpan<byte> Peek(long offset, int length, bool mayBeFewer = false)
    {
        long at = offset - _windowOffset;
        if (at >= 0 && at < _windowBytes && mayBeFewer)
            return _window.AsSpan((int)at, (int)Math.Min(length, _windowBytes - at));
        if (at < 0 || at > _windowBytes - length)
        {
            _windowBytes = 0;
            int wanted = (int)Math.Min(_window.Length, end - offset);
            file.File.ReadAt(offset, _window.AsSpan(0, wanted));
            (_windowOffset, _windowBytes) = (offset, wanted);
            at = 0;
        }
        return _window.AsSpan((int)at, length);
    }
}
