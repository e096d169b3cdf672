namespace BigPile.Codec.Wire;

/// <summary>The form of MessagePack-CSharp, which types with its attributes ask for.</summary>
internal static class PlainForm
{
    /// <summary>The message for something that has no place in it.</summary>
    public static string WhyNot(string what) =>
        $"MessagePack-CSharp's form has no place for {what}, and the type's attributes ask for that form. Use what the library reads, or "
        + "set "
        + $"{nameof(PileCodecOptions)}.{nameof(PileCodecOptions.MayExtendContracts)} and give up reading such payloads by it.";
}
