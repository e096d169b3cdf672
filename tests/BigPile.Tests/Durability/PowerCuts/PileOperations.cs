using System;

namespace BigPile.Tests.Durability.PowerCuts;

/// <summary>What a run does beside putting, deleting and flushing.</summary>
[Flags]
internal enum PileOperations
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Replace by an object of the same size.</summary>
    Replace = 1 << 0,

    /// <summary>Replace by an object of another size: in place, behind a link, to and from runs.</summary>
    Resize = 1 << 1,

    /// <summary>Allocate bytes, and overwrite a part of some.</summary>
    Write = 1 << 2,

    /// <summary>Delete most of what there is at once.</summary>
    DeleteMany = 1 << 3,

    /// <summary>Move what lies behind links.</summary>
    Compact = 1 << 4,

    /// <summary>Give empty segments back.</summary>
    Trim = 1 << 5,

    /// <summary>Hold leases while what is leased is replaced and deleted.</summary>
    Lease = 1 << 6,

    /// <summary>Walk through everything.</summary>
    Walk = 1 << 7,

    /// <summary>Flush by interval.</summary>
    Timer = 1 << 8,

    /// <summary>Change something while a checkpoint writes the segments.</summary>
    DuringCheckpoint = 1 << 9,

    /// <summary>Close and open.</summary>
    Restart = 1 << 10,

    /// <summary>Kill, and open during the same start of the machine.</summary>
    Kill = 1 << 11,

    /// <summary>Kill, and open during another start of the machine.</summary>
    OtherBoot = 1 << 12,

    /// <summary>Go on with what a power cut left.</summary>
    PowerCut = 1 << 13,

    /// <summary>Let the device refuse a part of a flush.</summary>
    Refuse = 1 << 14,

    /// <summary>Flush and close while the disk has no room for a log.</summary>
    FullDisk = 1 << 15,

    /// <summary>The system tells starts of the machine not apart.</summary>
    UnknownBoot = 1 << 16,

    /// <summary>Everything but <see cref="UnknownBoot"/>, which is a system's nature.</summary>
    All = UnknownBoot - 1,
}
