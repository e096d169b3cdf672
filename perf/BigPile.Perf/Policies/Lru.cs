namespace BigPile.Perf.Policies;

/// <summary>Least recently used: evicts the key that was used longest ago.</summary>
internal sealed class Lru(int keys, long capacity, KeyWeights weights) : IPolicy
{
    private const int List = 0;

    private readonly KeyLists _lists = new(keys, lists: 1);
    private long _used;

    public bool Access(int key)
    {
        if (_lists.ListOf(key) == List)
        {
            _lists.MoveToNewest(List, key);
            return true;
        }
        long weight = weights.Of(key);
        if (weight > capacity)
            return false;
        while (_used + weight > capacity)
            Evict(_lists.Oldest(List));
        _lists.AddNewest(List, key);
        _used += weight;
        return false;
    }

    public void CheckInvariants()
    {
        _lists.CheckInvariants();
        long sum = 0;
        for (int key = 0; key < keys; key++)
            sum += _lists.ListOf(key) == List ? weights.Of(key) : 0;
        Require.That(sum == _used, $"The keys take {sum}, and {_used} is counted.");
        Require.That(_used <= capacity, $"{_used} is more than the capacity of {capacity}.");
    }

    private void Evict(int key)
    {
        _lists.Remove(key);
        _used -= weights.Of(key);
    }
}
