using System;
using System.Diagnostics;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Memory;

namespace BigPile.Hash.Maintenance;

/// <summary>Scans the extent area from its beginning to its end: extents, and the gaps between them.</summary>
/// <remarks>
/// An extent begins where the one before ends. Otherwise there is a gap: then each multiple of the alignment is tried, until there is an
/// extent marked dead, or a record that matches its checksum; so the bytes of a value are not taken for a record. Extent words within a gap
/// are reported as stale: if one stayed, it would be taken for an extent once another extent ends in front of it.
/// </remarks>
/// <param name="file">The file.</param>
/// <param name="end">The end of the extent area.</param>
/// <param name="onStaleWord">Receives the offsets of stale extent words in gaps.</param>
internal sealed class ExtentScanner(RecordFile file, long end, Action<long>? onStaleWord = null)
{
    private const int WindowBytes = 1 << 20;

    // A window of the file, its offset, and how many of its bytes are valid.
    private readonly byte[] _window = GC.AllocateUninitializedArray<byte>((int)Math.Min(WindowBytes, Math.Max(end, 1)));
    private readonly FileLayout _layout = file.Layout;
    private long _windowOffset;
    private int _windowBytes;
    private RecordHead _head;

    /// <summary>The offset of the current extent or gap.</summary>
    internal long Offset { get; private set; } = file.Layout.AreaStart;

    internal long Bytes { get; private set; }

    /// <summary>Whether this is an extent, not a gap.</summary>
    internal bool IsExtent { get; private set; }

    /// <summary>The head of the current extent.</summary>
    internal RecordHead Head => _head;

    /// <summary>Whether the current extent holds a record or a tombstone.</summary>
    internal bool IsRecord => IsExtent && _head.Word.Kind != ExtentKind.Dead;

    internal bool MoveNext()
    {
        Offset += Bytes;
        if (Offset >= end)
            return false;
        Debug.Assert((Offset & (_layout.Alignment - 1)) == 0, "Extents and gaps begin at multiples of the alignment.");
        IsExtent = TryReadExtent(Offset, mustMatch: false);
        Bytes = IsExtent ? _head.Word.Units << _layout.AlignmentShift : GapAt(Offset);
        Debug.Assert(Bytes > 0 && Bytes <= end - Offset, "The scan goes on, and not beyond the end.");
        return true;
    }

    /// <summary>Whether the record matches its checksum.</summary>
    internal bool Matches() => Matches(Offset, _head);

    /// <summary>Whether the key of the current record fits into its extent.</summary>
    internal bool HasKey => RecordHead.Bytes + _head.KeyLength <= Bytes;

    /// <summary>The key of the current record. Requires <see cref="HasKey"/>.</summary>
    internal ReadOnlySpan<byte> Key()
    {
        Debug.Assert(IsRecord && HasKey, "The extent has a key.");
        return Peek(Offset, RecordHead.Bytes + _head.KeyLength)[RecordHead.Bytes..];
    }

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

    // The distance to the next candidate: the zeros are skipped.
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
        Debug.Assert(length <= _window.Length && length <= end - offset, "The window can have all that is wanted.");
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
