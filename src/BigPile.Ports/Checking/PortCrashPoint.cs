namespace BigPile.Ports.Checking;

/// <summary>Between two stores that belong together: where tests kill a process, or hold it up.</summary>
internal enum PortCrashPoint
{
    /// <summary>A granule's object is held and has no generation yet.</summary>
    HeadTaken,

    /// <summary>Some granules of an object are taken, and others not.</summary>
    GranuleTaken,

    /// <summary>A reference is in the ring, and the counter does not say so.</summary>
    EntryWritten,

    /// <summary>An object is sent, and the receiver is not woken.</summary>
    EntrySent,

    /// <summary>The receiver has read a reference, and does not hold the object.</summary>
    EntryRead,

    /// <summary>The receiver holds the object and has not taken it out of the ring.</summary>
    EntryHeld,

    /// <summary>The receiver has taken the object, and its program does not have it.</summary>
    EntryTaken,

    /// <summary>The sender drops the oldest, and holds it still.</summary>
    EntryDropped,

    /// <summary>A process has its lock, and its slot does not say so.</summary>
    SlotLocked,

    /// <summary>The cleaner has been at the ports.</summary>
    PortsCleaned,

    /// <summary>The cleaner is among the objects.</summary>
    ObjectCleaned,

    /// <summary>The cleaner has done all but say so.</summary>
    SlotCleaned,

    /// <summary>A sender to many has passed those that are too slow, and holds still what they were at.</summary>
    SlowPassed,

    /// <summary>A sender to many has found nobody who listens, and keeps still what is older.</summary>
    NobodyFound,

    /// <summary>A sender to many has found the slowest, and has not said up to where it gives back.</summary>
    SlowestFound,

    /// <summary>A sender to many has said up to where it gives back, and has not looked who has come meanwhile.</summary>
    FloorRaised,

    /// <summary>A receiver among many has a record, and says neither where it begins nor that it listens.</summary>
    MemberNamed,

    /// <summary>A receiver among many knows where it begins, and does not say that it listens.</summary>
    MemberPlaced,

    /// <summary>A receiver among many says that it listens, and has not looked again how far the sender is.</summary>
    MemberAdded,

    /// <summary>A receiver among many listens no more, and has its record still.</summary>
    MemberRemoved,

    /// <summary>A new sender backs what is on the way, and the port does not name it.</summary>
    TakenOver,
}
