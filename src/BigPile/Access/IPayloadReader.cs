using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Copies a payload to its destination.</summary>
internal unsafe interface IPayloadReader
{
    /// <summary>Copies the payload; called again if it changed meanwhile, and the last call counts.</summary>
    void Read(byte* payload, long lengthBytes, BlockKind kind);
}
