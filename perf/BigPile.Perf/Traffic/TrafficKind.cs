namespace BigPile.Perf.Traffic;

/// <summary>What a request asks for.</summary>
internal enum TrafficKind
{
    Read,
    ReadIfChanged,
    ReadHead,
    Write,
    WriteForTime,
    Delete,
    ReadMany,
    WriteMany,
}
