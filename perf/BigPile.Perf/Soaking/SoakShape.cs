namespace BigPile.Perf.Soaking;

/// <summary>What a worker's own value is stored as.</summary>
internal enum SoakShape : byte
{
    Bytes,
    Text,
    Person,
    Graph,
}
