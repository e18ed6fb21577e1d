! Collectives as Fortran calls them: {module} is include 'mpif.h', use mpi or use mpi_f08.
program sums
  {module}
  integer :: rank, ranks, error, i
  {comm} :: half
  {request} :: request
  {status} :: status
  double precision :: own(10), total(10)
  integer, allocatable :: all(:), counts(:), starts(:)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  allocate(all(2 * ranks), counts(ranks), starts(ranks))
  own = rank + 1
  do i = 1, 3
    call MPI_Allreduce(own, total, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    if (error /= MPI_SUCCESS .or. any(total /= ranks * (ranks + 1) / 2)) stop 3
  end do
  total = own
  call MPI_Allreduce(MPI_IN_PLACE, total, 10, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  if (any(total /= ranks)) stop 4
  if (rank == 1) total = 7
  call MPI_Bcast(total, 10, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, error)
  if (any(total /= 7)) stop 5
  counts = 2
  starts = [(2 * (ranks - i), i = 1, ranks)]
  call MPI_Allgatherv([rank, -rank], 2, MPI_INTEGER, all, counts, starts, MPI_INTEGER, MPI_COMM_WORLD, error)
  do i = 0, ranks - 1
    if (all(2 * (ranks - 1 - i) + 1) /= i .or. all(2 * (ranks - i)) /= -i) stop 6
  end do
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
  own = 1
  call MPI_Iallreduce(own, total, 10, MPI_DOUBLE_PRECISION, MPI_SUM, half, request, error)
  call MPI_Wait(request, status, error)
  if (any(total /= (ranks + mod(rank + 1, 2)) / 2)) stop 7
  call MPI_Barrier(half, error)
  call MPI_Comm_free(half, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
