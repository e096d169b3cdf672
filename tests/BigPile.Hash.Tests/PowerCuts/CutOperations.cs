using System;

namespace BigPile.Hash.Tests.PowerCuts;

/// <summary>What a run does beside setting new keys and synchronizing.</summary>
[Flags]
internal enum CutOperations
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Set keys that are there; some of them twice and more often.</summary>
    Replace = 1 << 0,

    /// <summary>Remove keys, and set some of them again.</summary>
    Remove = 1 << 1,

    /// <summary>Append, count, exchange, process.</summary>
    Change = 1 << 2,

    /// <summary>Rebuild.</summary>
    Rebuild = 1 << 3,

    /// <summary>Remove all.</summary>
    Clear = 1 << 4,

    /// <summary>Close and open.</summary>
    Restart = 1 << 5,

    /// <summary>Kill, and open during the same start of the machine.</summary>
    Kill = 1 << 6,

    /// <summary>Kill, and open during another start of the machine.</summary>
    OtherBoot = 1 << 7,

    /// <summary>Go on with what a power cut left.</summary>
    PowerCut = 1 << 8,

    /// <summary>Let the device refuse some synchronizations.</summary>
    Refuse = 1 << 9,

    /// <summary>Everything.</summary>
    All = (1 << 10) - 1,
}
