namespace BigPile;

/// <summary>Is notified when a lease ends.</summary>
internal interface ILeaseOwner
{
    /// <summary>Ends a lease; called once per lease.</summary>
    void End(PileLease lease);
}
