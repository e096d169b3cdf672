using System;

namespace BigPile.Codec.Wire;

/// <summary>An object in a graph can't be stored. The codec catches this, finds the path to the object, and reports both.</summary>
internal sealed class RefusedException(Type type, string reason) : Exception(reason)
{
    public Type Type => type;
}

/// <summary>The plain format: MessagePack-CSharp's, without the pile's extensions, for types with that library's attributes.</summary>
internal static class PlainForm
{
    /// <summary>The message for a value that the plain format can't represent.</summary>
    public static string WhyNot(string what) =>
        $"MessagePack-CSharp's format can't hold {what}, and the type's attributes ask for that format. Use what the library can read, or "
        + $"set {nameof(PileCodecOptions)}.{nameof(PileCodecOptions.MayExtendContracts)}: then the library can't read such payloads.";
}
