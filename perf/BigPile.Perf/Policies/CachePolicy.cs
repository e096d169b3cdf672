using System;
using System.Collections.Generic;
using BitFaster.Caching;
using BitFaster.Caching.Lfu;
using BitFaster.Caching.Lru;
using BitFaster.Caching.Scheduler;

namespace BigPile.Perf.Policies;

/// <summary>A cache library, used as a policy.</summary>
internal sealed class CachePolicy : IPolicy
{
    private const int LeastCapacity = 3;
    private const int Slack = 128; // more entries may be there until the cache's maintenance has run

    private readonly ICache<int, bool> _cache;
    private readonly int _capacity;

    private CachePolicy(ICache<int, bool> cache, int capacity)
    {
        _cache = cache;
        _capacity = capacity;
    }

    internal static CachePolicy OfLru(int capacity)
    {
        capacity = Math.Max(LeastCapacity, capacity);
        return new CachePolicy(new ConcurrentLru<int, bool>(1, capacity, EqualityComparer<int>.Default), capacity);
    }

    /// <summary>Creates one that runs maintenance on the calling thread, so that the same accesses have the same hits.</summary>
    internal static CachePolicy OfLfu(int capacity)
    {
        capacity = Math.Max(LeastCapacity, capacity);
        return new CachePolicy(
            new ConcurrentLfu<int, bool>(1, capacity, new ForegroundScheduler(), EqualityComparer<int>.Default), capacity);
    }

    public bool Access(int key)
    {
        if (_cache.TryGet(key, out _))
            return true;
        _cache.AddOrUpdate(key, true);
        return false;
    }

    public void CheckInvariants() =>
        Require.That(_cache.Count <= _capacity + Slack, $"{_cache.Count} keys are more than the capacity of {_capacity}.");
}
