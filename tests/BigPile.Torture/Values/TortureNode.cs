namespace BigPile.Torture.Values;

/// <summary>An object that the codec stores, with a pointer to another.</summary>
public sealed class TortureNode
{
    public int Id { get; set; }

    public uint Revision { get; set; }

    public PilePointer Next { get; set; }

    public string Name { get; set; } = "";

    public byte[] Payload { get; set; } = [];
}
