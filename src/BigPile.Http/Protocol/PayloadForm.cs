namespace BigPile.Http.Protocol;

/// <summary>The form in which a client gets a payload.</summary>
internal enum PayloadForm
{
    /// <summary>Byte for byte as it is stored.</summary>
    AsStored,

    /// <summary>Stored compressed, sent decompressed.</summary>
    Decoded,

    /// <summary>The client accepts neither.</summary>
    None,
}
