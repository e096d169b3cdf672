using System.Diagnostics.CodeAnalysis;

namespace BigPile;

/// <summary>Throwing, kept out of line so that the methods that may throw stay small enough to be inlined.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void PayloadTooLarge(long lengthBytes, long limitBytes) =>
        throw new PileException(
            $"The payload of {lengthBytes:N0} bytes is over the limit of {limitBytes:N0} bytes for one object. Split the object, and link its parts by pointers.");
}
