using System;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Layout;

namespace BigPile.Caching.Persistence;

/// <summary>The header of the file <c>index</c>: which pile the indexes belong to, and whether they can be trusted.</summary>
/// <remarks>
/// <code>
/// bytes  0..7    "BIGPINDS"
/// bytes  8..11   format
/// bytes 12..15   number of intents
/// bytes 16..31   id of the pile
/// bytes 32..39   seed of the keys' hash
/// bytes 40..55   number of this set of indexes, random; the pile's superblock has the number of the set that goes with its entries
/// bytes 56..59   CRC-32C of bytes 0..55
/// bytes 64..79   boot id of the last use; zero if the system has none
/// bytes 80..95   number of this use, random and new each time; the pile's file <c>use</c> has it as well
/// bytes 96..103  state: 0 in use, 1 closed
/// bytes 104..111 last version of an entry at the close
/// bytes 112..115 CRC-32C of bytes 64..111
/// bytes 116..119 not zero until a walk for the entries of tables is complete
/// bytes 120..123 not zero while the device is known to have the state "in use"; an opening after a kill then need not write it through
/// bytes 128..143 while the number of this use is being stored to the file <c>use</c>: the former number there; else zero
/// bytes 4096..   the intent log, 64 bytes an intent
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

    // Seed of the keys' hash. Never changes.
    [FieldOffset(32)]
    internal ulong Seed;

    // Number of this set of indexes. Never changes.
    [FieldOffset(40)]
    internal Guid SetNumber;

    [FieldOffset(56)]
    private uint _identityChecksum;

    // Boot id of the last use. This and the next four fields are written at the opening and the close.
    [FieldOffset(64)]
    internal Guid BootId;

    // Number of the last use.
    [FieldOffset(80)]
    internal Guid UseNumber;

    // InUse or Closed.
    [FieldOffset(96)]
    private ulong _state;

    // Last version of an entry at the close.
    [FieldOffset(104)]
    private ulong _lastVersion;

    // CRC-32C of the four fields before it.
    [FieldOffset(112)]
    private uint _useChecksum;

    // Not zero until a walk is complete. Written at the opening, and by the walk.
    [FieldOffset(116)]
    private uint _owesWalk;

    // Not zero while the device is known to have the state InUse.
    [FieldOffset(120)]
    private uint _isOnDevice;

    // The former number in the file "use", while the new one is being stored there.
    [FieldOffset(128)]
    internal Guid FormerUse;

    /// <summary>Whether the indexes were closed, and not used since.</summary>
    internal readonly bool IsClosed => _state == Closed;

    /// <summary>The last version of an entry at the close.</summary>
    internal readonly ulong LastVersion => _lastVersion;

    /// <summary>Whether a walk for the entries of tables, dropped ones too, is not complete.</summary>
    internal bool OwesWalk
    {
        readonly get => _owesWalk != 0;
        set => Volatile.Write(ref _owesWalk, value ? 1u : 0u);
    }

    /// <summary>Whether the device is known to have the state "in use", of this use or an earlier one.</summary>
    internal bool IsInUseOnDevice
    {
        readonly get => _isOnDevice != 0;
        set => Volatile.Write(ref _isOnDevice, value ? 1u : 0u);
    }

    /// <summary>Whether it is an intact header of a pile's indexes.</summary>
    internal readonly bool IsOf(Guid pileId) =>
        _magic == RightMagic && _format == CurrentFormat && _intentCount == IntentCount && _pileId == pileId
        && _identityChecksum == ChecksumOf(0, IdentityBytes) && _useChecksum == ChecksumOf(UseOffset, UseBytes);

    /// <summary>Writes the identity, which never changes.</summary>
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

    /// <summary>Records that the indexes are in use.</summary>
    internal void SetInUse(Guid bootId, Guid useNumber) => SetUse(bootId, useNumber, InUse, 0);

    /// <summary>Records that the indexes are closed.</summary>
    internal void SetClosed(ulong lastVersion)
    {
        // First: a kill behind it costs a needless write-through. In the other order a kill could leave out one that is needed.
        IsInUseOnDevice = false;
        SetUse(BootId, UseNumber, Closed, lastVersion);
    }

    // A kill between the stores leaves a wrong checksum, and the next opening rebuilds the indexes. That costs a walk and loses nothing.
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
