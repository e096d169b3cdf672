using System;

namespace BigPile.Perf.Policies;

/// <summary>A policy of eviction, in plain simulation. Thread safety: belongs to one thread.</summary>
internal interface IPolicy
{
    /// <summary>Asks for a key, and puts it where it is missing.</summary>
    /// <param name="key">From 0, less than the number of keys that the policy was made for.</param>
    /// <returns>Whether it was there.</returns>
    bool Access(int key);

    /// <summary>Looks whether the policy's own accounts are right.</summary>
    /// <exception cref="InvalidOperationException">They are not.</exception>
    void CheckInvariants();
}
