namespace BigPile.Torture.Values;

/// <summary>An object that the codec stores, with a pointer to another; public, as MessagePack-CSharp takes no others.</summary>
public sealed class TortureNode
{
    /// <summary>Its number.</summary>
    public int Id { get; set; }

    /// <summary>How often it was replaced.</summary>
    public uint Revision { get; set; }

    /// <summary>The other one.</summary>
    public PilePointer Next { get; set; }

    /// <summary>Text that is made of the number.</summary>
    public string Name { get; set; } = "";

    /// <summary>Bytes that tell a mixture.</summary>
    public byte[] Payload { get; set; } = [];
}
