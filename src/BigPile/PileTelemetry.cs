namespace BigPile;

/// <summary>The names of the meters, the activity source, and all instruments, activities and tags.</summary>
/// <remarks>REFERENCE.md, which is in each package, describes each instrument and each activity.</remarks>
public static class PileTelemetry
{
    /// <summary>The meter of piles, and of their tables.</summary>
    public const string MeterName = "BigPile";

    /// <summary>The meter of the HTTP service.</summary>
    public const string ServerMeterName = "BigPile.Server";

    /// <summary>The source of all activities.</summary>
    public const string ActivitySourceName = "BigPile";

    /// <summary>Bytes of all segments.</summary>
    public const string ReservedMemory = "bigpile.memory.reserved";

    /// <summary>Bytes of pages in use.</summary>
    public const string CommittedMemory = "bigpile.memory.committed";

    /// <summary>Bytes of process memory beside the segments.</summary>
    public const string MemoryOverhead = "bigpile.memory.overhead";

    /// <summary>The most bytes that the segments may take.</summary>
    public const string MemoryLimit = "bigpile.memory.limit";

    /// <summary>Bytes that are not used for now, as the system is short of memory.</summary>
    public const string WithheldMemory = "bigpile.memory.withheld";

    /// <summary>Bytes of pages in use, by <see cref="MemoryKindTag"/>.</summary>
    public const string UsedMemory = "bigpile.memory.used";

    /// <summary>Segments.</summary>
    public const string SegmentCount = "bigpile.segment.count";

    /// <summary>Objects that are live.</summary>
    public const string ObjectCount = "bigpile.object.count";

    /// <summary>Failures of work in the background.</summary>
    public const string BackgroundFailures = "bigpile.background.failures";

    /// <summary>Puts that were refused as the pile was full.</summary>
    public const string RefusedPuts = "bigpile.put.refused";

    /// <summary>Payloads that are leased.</summary>
    public const string ActiveLeases = "bigpile.lease.active";

    /// <summary>How long flushes took.</summary>
    public const string FlushDuration = "bigpile.flush.duration";

    /// <summary>How long the recovery of a mapped pile took.</summary>
    public const string RecoveryDuration = "bigpile.recovery.duration";

    /// <summary>The activity of opening a mapped pile.</summary>
    public const string OpenActivity = "bigpile.open";

    /// <summary>The activity of recovering the pages of a mapped pile in the background.</summary>
    public const string RecoveryActivity = "bigpile.recovery";

    /// <summary>The activity of a flush.</summary>
    public const string FlushActivity = "bigpile.flush";

    /// <summary>The activity of the part of a flush that writes the segments themselves.</summary>
    public const string CheckpointActivity = "bigpile.checkpoint";

    /// <summary>The tag with a pile's name: <see cref="PileOptions.Name"/>.</summary>
    public const string PileNameTag = "bigpile.pile.name";

    /// <summary>The tag that says what memory is used for.</summary>
    public const string MemoryKindTag = "bigpile.memory.kind";

    /// <summary>The tag with the type of the exception that caused a failure.</summary>
    public const string ErrorTag = "error.type";
}
