namespace BigPile.Codec.Wire;

/// <summary>The plain format: MessagePack-CSharp's, without the pile's extensions, for types with that library's attributes.</summary>
internal static class PlainForm
{
    /// <summary>The message for a value that the plain format can't represent.</summary>
    public static string WhyNot(string what) =>
        $"MessagePack-CSharp's format can't hold {what}, and the type's attributes ask for that format. Use what the library can read, or "
        + $"set {nameof(PileCodecOptions)}.{nameof(PileCodecOptions.MayExtendContracts)}: then the library can't read such payloads.";
}
