using System;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace BigPile;

/// <summary>Names one object in a pile, in 8 bytes that the garbage collector never follows.</summary>
/// <remarks>
/// <code>
/// bit 63..60  zero, reserved for a node number
/// bit 59..36  generation: how often the slot was freed before
/// bit 35..0   address in units of 8 bytes: 512 GiB a pile; address 0 is never allocated
/// </code>
/// The generation makes a pointer to a deleted object detectable for ever. <see langword="default"/> is the invalid pointer.
/// Thread safety: immutable.
/// </remarks>
public readonly struct PilePointer : IEquatable<PilePointer>
{
    internal const int AddressBits = 36;
    internal const int GenerationBits = 24;
    internal const ulong AddressMask = (1UL << AddressBits) - 1;
    internal const uint MaxGeneration = (1u << GenerationBits) - 1;

    private readonly ulong _word;

    private PilePointer(ulong word) => _word = word;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PilePointer(ulong address, uint generation) => _word = address | ((ulong)generation << AddressBits);

    /// <summary>The pointer that names nothing.</summary>
    public static PilePointer Invalid => default;

    /// <summary>Whether the pointer is well formed. Only the pile knows whether the object still exists.</summary>
    public bool IsValid => (_word & AddressMask) != 0 && _word >> (AddressBits + GenerationBits) == 0;

    internal ulong Address => _word & AddressMask;

    internal uint Generation => (uint)(_word >> AddressBits);

    /// <summary>Two pointers are equal when they name the same object.</summary>
    public static bool operator ==(PilePointer left, PilePointer right) => left._word == right._word;

    /// <summary>Two pointers differ when they name different objects.</summary>
    public static bool operator !=(PilePointer left, PilePointer right) => left._word != right._word;

    /// <summary>Makes a pointer from a number that <see cref="ToUInt64"/> returned.</summary>
    public static PilePointer FromUInt64(ulong value) => new(value);

    /// <summary>The pointer as a number, which can be stored anywhere.</summary>
    public ulong ToUInt64() => _word;

    /// <inheritdoc/>
    public bool Equals(PilePointer other) => _word == other._word;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PilePointer other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _word.GetHashCode();

    /// <summary>Address and generation in hexadecimal.</summary>
    public override string ToString() =>
        IsValid ? string.Create(CultureInfo.InvariantCulture, $"{Address:x}@{Generation:x}") : "invalid";
}
