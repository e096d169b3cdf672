using System;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Layout;

namespace BigPile.Caching.Persistence;

/// <summary>What the file <c>index</c> begins with: of which pile the indexes beside it are, and whether they may be trusted.</summary>
/// <remarks>
/// <code>
/// bytes  0..7    "BIGPINDS"
/// bytes  8..11   format
/// bytes 12..15   number of notes
/// bytes 16..31   id of the pile
/// bytes 32..39   seed of the hash of keys
/// bytes 40..55   number of this set of indexes, random; the pile's superblock has that of those that go with its entries
/// bytes 56..59   CRC-32C of bytes 0..55
/// bytes 64..79   the start of the machine during which the indexes were used last; zero where the system does not tell
/// bytes 80..95   number of this use, random and new each time; the pile's file <c>use</c> has it as well
/// bytes 96..103  state: 0 in use, 1 closed
/// bytes 104..111 last version of an entry when they were closed
/// bytes 112..115 CRC-32C of bytes 64..111
/// bytes 116..119 not zero while a walk for the entries of tables has not come to its end
/// bytes 120..123 not zero while the device is known to have "in use", for whoever follows a kill
/// bytes 128..143 while the number of this use is on its way to the file <c>use</c>, the one that it had before; else zero
/// bytes 4096..   notes of changes, 64 bytes each
/// </code>
/// Little-endian.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = 144)]
internal unsafe struct IndexFilesHead
{
    internal const int IntentsOffset = 4096;
    internal const int IntentCount = 1024;

    private const ulong RightMagic = 0x53444E4950474942;
    private const int CurrentFormat = 2;
    private const int IdentityBytes = 56;
    private const int UseOffset = 64;
    private const int UseBytes = 48;
    private const ulong InUse = 0;
    private const ulong Closed = 1;

    [FieldOffset(0)]
    private ulong _magic;

    [FieldOffset(8)]
    private int _format;

    [FieldOffset(12)]
    private int _intentCount;

    [FieldOffset(16)]
    private Guid _pileId;

    [FieldOffset(32)]
    internal ulong Seed;

    [FieldOffset(40)]
    internal Guid SetNumber;

    [FieldOffset(56)]
    private uint _identityChecksum;

    [FieldOffset(64)]
    internal Guid BootId;

    [FieldOffset(80)]
    internal Guid UseNumber;

    [FieldOffset(96)]
    private ulong _state;

    [FieldOffset(104)]
    private ulong _lastVersion;

    [FieldOffset(112)]
    private uint _useChecksum;

    [FieldOffset(116)]
    private uint _owesWalk;

    [FieldOffset(120)]
    private uint _isOnDevice;

    [FieldOffset(128)]
    internal Guid FormerUse;

    /// <summary>Whether the indexes were closed, and nobody has used them since.</summary>
    internal readonly bool IsClosed => _state == Closed;

    /// <summary>The last version of an entry when they were closed.</summary>
    internal readonly ulong LastVersion => _lastVersion;

    /// <summary>Whether a walk for the entries of tables, of dropped ones too, has not come to its end.</summary>
    internal bool OwesWalk
    {
        readonly get => _owesWalk != 0;
        set => Volatile.Write(ref _owesWalk, value ? 1u : 0u);
    }

    /// <summary>Whether the device is known to have "in use", of this use or of one before.</summary>
    internal bool IsInUseOnDevice
    {
        readonly get => _isOnDevice != 0;
        set => Volatile.Write(ref _isOnDevice, value ? 1u : 0u);
    }

    /// <summary>Whether it is such a head, as it was written.</summary>
    internal readonly bool IsOf(Guid pileId) =>
        _magic == RightMagic && _format == CurrentFormat && _intentCount == IntentCount && _pileId == pileId
        && _identityChecksum == ChecksumOf(0, IdentityBytes) && _useChecksum == ChecksumOf(UseOffset, UseBytes);

    /// <summary>States what never changes.</summary>
    internal void SetIdentity(Guid pileId, ulong seed, Guid setNumber)
    {
        _format = CurrentFormat;
        _intentCount = IntentCount;
        _pileId = pileId;
        Seed = seed;
        SetNumber = setNumber;
        _magic = RightMagic;
        _identityChecksum = ChecksumOf(0, IdentityBytes);
    }

    /// <summary>States that the indexes are in use, by a start of the machine.</summary>
    internal void SetInUse(Guid bootId, Guid useNumber) => SetUse(bootId, useNumber, InUse, 0);

    /// <summary>States that they are closed.</summary>
    internal void SetClosed(ulong lastVersion)
    {
        IsInUseOnDevice = false; // first: a kill behind it costs a write-through, and one before would leave out one that is needed
        SetUse(BootId, UseNumber, Closed, lastVersion);
    }

    // A kill in between leaves a checksum that is wrong: the indexes are made anew. Nothing was changed since they were closed, or the
    // other way round; so it costs a walk.
    private void SetUse(Guid bootId, Guid useNumber, ulong state, ulong lastVersion)
    {
        BootId = bootId;
        UseNumber = useNumber;
        _lastVersion = lastVersion;
        Volatile.Write(ref _state, state);
        Volatile.Write(ref _useChecksum, ChecksumOf(UseOffset, UseBytes));
    }

    private readonly uint ChecksumOf(int offset, int lengthBytes)
    {
        fixed (ulong* start = &_magic)
            return Checksum.Of(new ReadOnlySpan<byte>((byte*)start + offset, lengthBytes));
    }
}
