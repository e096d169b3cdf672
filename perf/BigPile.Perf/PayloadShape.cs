namespace BigPile.Perf;

/// <summary>What the objects of a load are.</summary>
internal enum PayloadShape
{
    Text,
    Bytes,
    Person,
}
