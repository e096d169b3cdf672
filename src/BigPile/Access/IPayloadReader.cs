using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Copies a payload to where it is wanted.</summary>
internal unsafe interface IPayloadReader
{
    /// <summary>Copies; may be called again when the payload changed meanwhile, and the last call counts.</summary>
    void Read(byte* payload, long lengthBytes, BlockKind kind);
}
