using System;
using System.Diagnostics.CodeAnalysis;

namespace BigPile.Codec.Wire;

/// <summary>Throws the errors of reading. The throws are out of line, so that the readers stay small and inlinable.</summary>
internal static class BadData
{
    [DoesNotReturn]
    public static void Truncated() => throw new PileSerializationException("The payload ends in the middle of a value.");

    [DoesNotReturn]
    public static void Unexpected(byte code, string wanted) =>
        throw new PileSerializationException($"The payload has a value with first byte 0x{code:x2} where {wanted} was expected.");

    [DoesNotReturn]
    public static void OutOfRange(string kind) => throw new PileSerializationException($"The payload holds a number that is no {kind}.");

    [DoesNotReturn]
    public static void OverBudget() =>
        throw new PileSerializationException("The payload claims more elements than its length allows.");

    [DoesNotReturn]
    public static void TooDeep() => throw new PileSerializationException("The payload is nested too deep.");

    [DoesNotReturn]
    public static void WrongCount(Type type, int count) =>
        throw new PileSerializationException(
            $"The payload has {count} values for an object of type {type}, which is not what its schema says.");

    [DoesNotReturn]
    public static void WrongType(Type type, Type declared) =>
        throw new PileSerializationException($"The payload has an object of type {type} in a member of type {declared}.");

    [DoesNotReturn]
    public static void BadReference() => throw new PileSerializationException("The payload refers to an object that it does not hold.");

    [DoesNotReturn]
    public static void Invalid(string what) => throw new PileSerializationException($"The payload is damaged: {what}.");
}
