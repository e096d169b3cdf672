namespace BigPile.Ports.Checking;

/// <summary>Places between two related stores, where tests kill or delay a process.</summary>
internal enum PortCrashPoint
{
    /// <summary>The first granule of an object is held, and has no generation yet.</summary>
    HeadTaken,

    /// <summary>Some granules of an object are taken, and others are not.</summary>
    GranuleTaken,

    /// <summary>A reference is in the ring, and the tail does not include it.</summary>
    EntryWritten,

    /// <summary>An object is sent, and the receiver is not woken.</summary>
    EntrySent,

    /// <summary>The receiver has read a reference, and does not hold the object.</summary>
    EntryRead,

    /// <summary>The receiver holds the object, and has not taken it out of the ring.</summary>
    EntryHeld,

    /// <summary>The receiver has taken the object, and has not returned it to its caller.</summary>
    EntryTaken,

    /// <summary>A process has locked its slot's byte, and the slot is not marked active.</summary>
    SlotLocked,

    /// <summary>The cleaner has finished the ports.</summary>
    PortsCleaned,

    /// <summary>The cleaner has released an object.</summary>
    ObjectCleaned,

    /// <summary>The cleaner has finished, and the slot is not marked free.</summary>
    SlotCleaned,

    /// <summary>A sender has passed slow receivers, and still holds the objects that they were at.</summary>
    SlowPassed,

    /// <summary>A multicast sender has found no receivers, and still holds older objects.</summary>
    NobodyFound,

    /// <summary>A multicast sender has found the slowest receiver, and has not stored the floor.</summary>
    SlowestFound,

    /// <summary>A multicast sender has stored the floor, and has not scanned the receivers again.</summary>
    FloorRaised,

    /// <summary>A joining receiver has a record, without a start or its bit.</summary>
    MemberNamed,

    /// <summary>A joining receiver has a start, and not its bit.</summary>
    MemberPlaced,

    /// <summary>A joining receiver has its bit, and has not read the start again.</summary>
    MemberAdded,

    /// <summary>A leaving receiver has cleared its bit, and still has its record.</summary>
    MemberRemoved,

    /// <summary>The waiting thread has copied the pending calls, and has not tried them.</summary>
    CallsCopied,

    /// <summary>A new sender holds what is in flight, and the port does not name it.</summary>
    TakenOver,
}
