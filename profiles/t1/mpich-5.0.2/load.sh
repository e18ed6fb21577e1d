# Profile t1 for mpich-5.0.2: . load.sh
# then mpiexec -n 4 ./app
