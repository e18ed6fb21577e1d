! A Fortran program whose calls are led through the table: arguments, statuses, an operation, attributes.
program fortran
  use mpi
  implicit none
  integer :: code, rank, ranks, total, request(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  integer :: mine, got, operation, half, half_rank, keyval, twin, which, handler, class, length, wrong, all_wrong
  integer(kind=MPI_ADDRESS_KIND) :: value, extra
  logical :: flag
  character(len=MPI_MAX_ERROR_STRING) :: words
  external :: larger

  wrong = 0
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  total = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  call check(total == ranks * (ranks + 1) / 2, 'sum in place')

  mine = 100 + rank
  call MPI_Irecv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, request(1), code)
  call MPI_Isend(mine, 1, MPI_INTEGER, mod(rank + 1, ranks), 7, MPI_COMM_WORLD, request(2), code)
  call MPI_Waitall(2, request, statuses, code)
  call check(got == 100 + mod(rank + ranks - 1, ranks), 'message')
  call check(statuses(MPI_TAG, 1) == 7 .and. statuses(MPI_SOURCE, 1) == got - 100, 'status')
  call check(request(1) == MPI_REQUEST_NULL .and. request(2) == MPI_REQUEST_NULL, 'requests')
  call MPI_Get_count(statuses(:, 1), MPI_INTEGER, length, code)
  call check(length == 1, 'count')
  call MPI_Irecv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, request(1), code)
  call MPI_Send(mine, 1, MPI_INTEGER, mod(rank + 1, ranks), 8, MPI_COMM_WORLD, code)
  call MPI_Waitany(1, request, which, status, code)
  call check(which == 1 .and. status(MPI_SOURCE) == got - 100, 'wait for any')
  call MPI_Recv(got, 1, MPI_INTEGER, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, status, code)
  call check(status(MPI_SOURCE) == MPI_PROC_NULL, 'nobody')

  call MPI_Op_create(larger, .true., operation, code)
  call MPI_Allreduce(rank, got, 1, MPI_INTEGER, operation, MPI_COMM_WORLD, code)
  call check(got == ranks - 1, 'own operation')
  call MPI_Op_free(operation, code)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), 0, half, code)
  call MPI_Comm_rank(half, half_rank, code)
  call check(half_rank == rank / 2, 'split')
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, code)
  call check(flag .and. value >= 32767, 'largest tag')
  extra = 0
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, extra, code)
  value = 4711
  call MPI_Comm_set_attr(half, keyval, value, code)
  call MPI_Comm_dup(half, twin, code)
  value = 0
  call MPI_Comm_get_attr(twin, keyval, value, flag, code)
  call check(flag .and. value == 4711, 'attribute of a duplicate')
  call MPI_Comm_free(twin, code)
  call MPI_Comm_free(half, code)
  call check(half == MPI_COMM_NULL, 'freed')

  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
  call MPI_Comm_get_errhandler(MPI_COMM_WORLD, handler, code)
  call check(handler == MPI_ERRORS_RETURN, 'error handler')
  call MPI_Send(mine, 1, MPI_INTEGER, ranks + 50, 0, MPI_COMM_WORLD, code)
  call MPI_Error_class(code, class, length)
  call check(class == MPI_ERR_RANK, 'class of an error')
  call MPI_Error_string(code, words, length, class)
  call check(length > 5 .and. len_trim(words) >= length - 1, 'words of an error')

  call MPI_Reduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, code)
  if (rank == 0) print '(a, i0, a, i0)', 'ranks ', ranks, ' wrong ', all_wrong
  call MPI_Finalize(code)

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (.not. right) then
      wrong = wrong + 1
      print '(a, a)', 'not so: ', what
    end if
  end subroutine check
end program fortran

subroutine larger(in, inout, length, datatype)
  use mpi
  implicit none
  integer :: length, datatype
  integer :: in(length), inout(length)
  if (datatype /= MPI_INTEGER) inout(1:length) = -1
  inout(1:length) = max(in(1:length), inout(1:length))
end subroutine larger
