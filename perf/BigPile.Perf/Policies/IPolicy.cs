using System;

namespace BigPile.Perf.Policies;

/// <summary>A policy of eviction, in plain simulation. Thread safety: belongs to one thread.</summary>
internal interface IPolicy
{
    /// <summary>Gets a key, and puts it if it is missing.</summary>
    /// <param name="key">From 0, less than the number of keys that the policy was made for.</param>
    /// <returns>Whether it was a hit.</returns>
    bool Access(int key);

    /// <summary>Checks the policy's invariants.</summary>
    /// <exception cref="InvalidOperationException">They are not.</exception>
    void CheckInvariants();
}
