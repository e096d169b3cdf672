namespace BigPile;

/// <summary>Is told when a lease ends.</summary>
internal interface ILeaseOwner
{
    /// <summary>Ends a lease; called once for each.</summary>
    void End(PileLease lease);
}
