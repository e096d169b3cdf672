using System;

namespace BigPile.Perf.Payloads;

/// <summary>The distinct objects that a load puts again and again.</summary>
internal static class PayloadPool
{
    /// <summary>The number of distinct objects; a power of two.</summary>
    internal const int Size = 1024;

    /// <summary>The most objects that are got at once.</summary>
    internal const int BatchSize = 64;

    // The pool is the same in every run, so that runs can be compared.
    private const int Seed = 7321;

    /// <summary>The place in the pool of the object with a number.</summary>
    internal static int IndexOf(int number) => number & (Size - 1);

    /// <summary>Makes the objects.</summary>
    internal static T[] Make<T>(Func<int, Random, T> makeOne)
    {
        var random = new Random(Seed);
        var pool = new T[Size];
        for (int i = 0; i < pool.Length; i++)
            pool[i] = makeOne(i, random);
        return pool;
    }

    /// <summary>Random bytes.</summary>
    internal static byte[] MakeBytes(int lengthBytes)
    {
        var bytes = new byte[lengthBytes];
        new Random(Seed).NextBytes(bytes);
        return bytes;
    }
}
